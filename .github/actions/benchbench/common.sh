# What the steps share: the folder, the store, and output that GitHub does not take for commands.

export PYTHONSAFEPATH=1 # a secrets.py or types.py of the working folder is not Python's own
cd -- "$BENCHBENCH_DIRECTORY"
if [[ -n $BENCHBENCH_STORE ]]; then
  export BENCHBENCH_HISTORY=$BENCHBENCH_STORE # not an option: others could read its password there
fi

# Runs benchbench. A line of its output, which may quote data, is no command to the runner.
benchbench() {
  local token status=0
  token=$(python -c 'import secrets; print(secrets.token_hex(16))')
  echo "::stop-commands::$token"
  python -m benchbench "$@" || status=$?
  printf '\n::%s::\n' "$token"
  return "$status"
}
