# Ends the job as the results say: with what kept it from being measured or checked, else with what is worse.
set -euo pipefail

for status in "$BENCHBENCH_MEASURED" "$BENCHBENCH_CHECKED"; do
  if ((status > 1)); then
    echo "::error title=benchbench::Nothing was measured or checked: exit code $status. The log of the step says why."
    exit "$status"
  fi
done
if ((BENCHBENCH_MEASURED == 1 || BENCHBENCH_CHECKED == 1)); then
  if [[ $BENCHBENCH_FAIL == true ]]; then
    echo "::error title=benchbench::A measure is worse, or a gate failed. The summary of the job says which."
    exit 1
  fi
  echo "::warning title=benchbench::A measure is worse, or a gate failed. The summary of the job says which."
fi
