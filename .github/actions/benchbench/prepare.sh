# Checks the inputs, and says where the history lies and by which key the cache keeps it.
set -euo pipefail
source "$GITHUB_ACTION_PATH/common.sh"

case $BENCHBENCH_FAIL in
  true | false) ;;
  *)
    echo "The input fail is true or false." >&2
    exit 2
    ;;
esac
if [[ -z $BENCHBENCH_NAME || $BENCHBENCH_NAME == *$'\n'* || $BENCHBENCH_STORE == *$'\n'* ]]; then
  echo "The inputs name and store are one line each, and name is not empty." >&2
  exit 2
fi
if [[ -z $BENCHBENCH_STORE && -z ${BENCHBENCH_HISTORY:-} ]]; then
  echo "The input store is empty, and so is the variable BENCHBENCH_HISTORY of the environment." >&2
  exit 2
fi
python "$GITHUB_ACTION_PATH/place.py" >>"$GITHUB_OUTPUT"
