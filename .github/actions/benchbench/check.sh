# Holds the run that this job recorded against the reference, and no other run: without one, nothing was checked. The
# step itself goes on whatever comes out: finish.sh decides.
set -euo pipefail
source "$GITHUB_ACTION_PATH/common.sh"

verdict=failed
status=0
if ((BENCHBENCH_MEASURED <= 1)); then # 1: it was measured, and a gate of its own failed
  run=$(python "$GITHUB_ACTION_PATH/recorded.py" "$BENCHBENCH_FOLDER/results/record.json") || status=$?
fi
if ((BENCHBENCH_MEASURED <= 1 && status == 0)); then
  options=()
  while IFS= read -r target; do
    if [[ -n $target ]]; then
      options+=(--alert "$target")
    fi
  done <<<"$BENCHBENCH_ALERT"
  benchbench history check --run "$run" --planned-runs "$BENCHBENCH_PLANNED_RUNS" \
    --out "$BENCHBENCH_FOLDER/check" --summary "$GITHUB_STEP_SUMMARY" --junit "$BENCHBENCH_FOLDER/check.xml" \
    ${options[@]+"${options[@]}"} || status=$?
  if [[ -f $BENCHBENCH_FOLDER/check/summary.json ]]; then
    verdict=$(python "$GITHUB_ACTION_PATH/verdict.py" "$BENCHBENCH_FOLDER/check/summary.json")
  fi
fi
{
  echo "verdict=$verdict"
  echo "exit-code=$status"
} >>"$GITHUB_OUTPUT"
