#!/usr/bin/env bash
# The fifth camera flow and its rows, as one job on a lent machine that goes on between the calls
# that feed it: cameras are drawn while words still travel, three seeds go on from the fourth flow,
# whichever validates best (or their mean) is distilled, and the rows of lab/base5_jobs.json are
# measured. A call that brings a parcel copies it into JOB and then touches JOB/NAME.here.
#
#   setsid nohup bash JOB/lab/fifth.sh JOB >JOB/log 2>&1 &
#
#   JOB/people     train/ with the takes of `people_h200.py pack`, human_statistics.safetensors
#   JOB/windows    validation/ of `base_h200.py pack-windows`
#   JOB/words      the encoder of `base_h200.py pack-windows`
#   JOB/base       codecs and flows that ship; the camera flow is what training goes on from
#   JOB/judges     evaluators
#   JOB/test       test/ of `measure_h200.py pack`
set -euo pipefail
cd "${1:?Name the folder of the job.}"
# Of a rehearsal: fewer of everything.
drawn="--people ${PEOPLE:-22000} --cameras ${CAMERAS:-5} --movements ${MOVEMENTS:-3}"
workers=${WORKERS:-15}

arrived() {
  for name in "$@"; do
    until [ -e "$name.here" ]; do sleep 0.2; done
  done
  echo "$* there after $SECONDS s"
}

arrived people windows
python3 lab/base_h200.py draw --parcel windows --people-parcel people $drawn --workers "$workers"
echo "drawn after $SECONDS s"
arrived words base
python3 lab/seeds_h200.py --drawn --parcel words --start base/camera_flow.safetensors \
  --codecs base --above 1.08 $drawn ${TRAINING:---compiled --steps 12000}
echo "trained after $SECONDS s"
arrived judges test
python3 lab/measure_h200.py measure "${JOBS:-lab/base5_jobs.json}" --parcel test --weights base \
  --evaluators judges --made made --out out --workers "$workers" || echo "some rows failed"
echo "measured after $SECONDS s"
touch done.here
