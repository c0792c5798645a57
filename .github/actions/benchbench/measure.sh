# Measures once, and records the result. The step itself goes on whatever comes out: finish.sh decides.
set -euo pipefail
source "$GITHUB_ACTION_PATH/common.sh"

folder=$(mktemp -d "$RUNNER_TEMP/benchbench.XXXXXX")
python "$GITHUB_ACTION_PATH/words.py" >"$folder/words"
words=()
while IFS= read -r -d '' word; do
  words+=("$word")
done <"$folder/words"
rm -- "$folder/words"

status=0
benchbench "${words[@]}" --record --name "$BENCHBENCH_NAME" --out "$folder/results" \
  --summary "$GITHUB_STEP_SUMMARY" || status=$?
{
  echo "folder=$folder"
  echo "results=$folder/results"
  echo "exit-code=$status"
} >>"$GITHUB_OUTPUT"
