#!/usr/bin/env bash
# Every stage on made-up data in a few minutes of two CPU cores: mini set, all phases, sampling, pictures.
#   bash runs/tiny.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python runs/tiny.py "${1:-demo/tiny}"
