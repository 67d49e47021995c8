#!/usr/bin/env bash
# The compared methods as one job on a lent machine that goes on between the calls that feed it and
# fetch from it: all of a sitting are trained in one process, then guided, then measured in turn.
#
#   setsid nohup bash JOB/lab/baselines.sh JOB given >JOB/log 2>&1 &      # or joint: PulpMotion's
#
#   JOB/parcel     what `baselines_h200.py pack` wrote, with --codecs
#   JOB/judges     evaluators
#   JOB/before     what came home of an earlier sitting; may be missing
#
# A call that has brought something touches JOB/NAME.here; `before` goes with the parcel. Rows lie
# in JOB/out and grow; weights come home by `baselines_h200.py send`.
set -euo pipefail
cd "${1:?Name the folder of the job.}"
case "${2:?given or joint}" in
  given) ours=aesop theirs="director-c ccd-h ccd dancecamera3d" ;;
  joint) ours=aesop-people theirs="pulpmotion-ae pulpmotion-dit pulpmotion-mar" ;;
  *) echo "There are given and joint, not $2."; exit 2 ;;
esac
ours=${OURS-$ours} theirs=${METHODS:-$theirs}  # of a rehearsal: fewer
script="python3 lab/baselines_h200.py"

arrived() {
  until [ -e "$1.here" ]; do sleep 0.2; done
  echo "$1 there after $SECONDS s"
}

arrived parcel
if [ -d before ]; then $script keep --weights before; fi
$script train $ours $theirs --parcel parcel ${TRAINING:---steps 2000 --minutes 1.5}
echo "trained after $SECONDS s"
arrived judges
$script guide $theirs --out out ${GUIDING:---at-most 128}
echo "guided after $SECONDS s"
# Our own rows need the camera flow: in the joint sitting it comes with `before`.
$script measure aesop $theirs --out out --evaluators judges \
  ${MEASURING:---at-most 400 --seeds 0 1 2} || echo "some rows failed"
echo "measured after $SECONDS s"
touch done.here
