# Installs the benchbench that this action is a part of, unless the job has installed one.
set -euo pipefail

if ! python -m benchbench --version; then
  python -m pip install --quiet "$GITHUB_ACTION_PATH/../../.."
fi
