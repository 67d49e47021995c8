#!/usr/bin/env bash
# From the CMU takes as BVH (folder or archive) to what ships: weights, evaluators, tables, figures.
# Everything that decides how they come out is a field of the recipe `base`. Started again after an
# interruption, it goes on. Weights lie in OUT/weights, evaluators in OUT/evaluators.
#   bash runs/base.sh TAKES [OUT]
set -euo pipefail
"$(dirname "$0")/../.venv/bin/aesop" reproduce --recipe base --own-evaluators \
    --data "${1:?Name the CMU takes: a folder or an archive of BVH files.}" --out "${2:-build/base}"
