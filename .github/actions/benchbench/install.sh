# Installs the benchbench that this action is a part of, unless the job has installed one.
set -euo pipefail
export PYTHONSAFEPATH=1

if ! python -c 'import benchbench.history' 2>/dev/null; then
  python -m pip install --quiet "$GITHUB_ACTION_PATH/../../.."
fi
