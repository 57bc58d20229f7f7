# The matrix as tests: netsense_matrix(PLUGIN SUITE RANKS [NAME=VALUE...]).
function(netsense_matrix plugin suite ranks)
  set(name engine.matrix.${plugin}.${suite}.n${ranks})
  set(settings "")
  foreach(setting ${ARGN})
    string(REGEX REPLACE "^(NETSENSE|NCCL|NS_ENGINE)_" "" tag ${setting})
    string(REGEX REPLACE "[=:]" "_" tag ${tag})
    string(APPEND name .${tag})
    list(APPEND settings --set ${setting})
  endforeach()
  add_test(NAME ${name} COMMAND engine-matrix --plugin $<TARGET_FILE:nccl-net-${plugin}> --suite ${suite}
    --ranks ${ranks} ${settings})
  set(labels engine)
  # AddressSanitizer's part.
  if(suite STREQUAL small AND ranks LESS 4 AND NOT settings)
    list(APPEND labels engine-small)
  endif()
  # ThreadSanitizer's part: few ranks, all ways in which threads meet.
  if(suite MATCHES "small|types|groups|communicators|repeat" AND ranks LESS 4)
    list(APPEND labels engine-raced)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()

# Every type and reduction, by protocol and algorithm.
netsense_matrix(netsense types 2)
netsense_matrix(netsense types 3 NCCL_PROTO=LL NCCL_ALGO=Ring)
netsense_matrix(netsense types 4 NCCL_PROTO=Simple NCCL_ALGO=allreduce:tree)
netsense_matrix(netsense types 4 NCCL_PROTO=LL NCCL_ALGO=allreduce:tree)
netsense_matrix(netsense types 3 NCCL_PROTO=Simple NCCL_ALGO=Ring)
netsense_matrix(reference types 2)

# Every number of ranks.
foreach(ranks 2 3 4 5 6 7 8)
  netsense_matrix(netsense small ${ranks})
endforeach()
netsense_matrix(netsense small 8 NCCL_ALGO=allreduce:tree)
netsense_matrix(netsense small 8 NCCL_PROTO=LL)
netsense_matrix(reference small 2)
netsense_matrix(reference small 8)

# Every version of the ABI.
foreach(version 6 7 8 9 10 11 12)
  netsense_matrix(netsense small 2 NS_ENGINE_NET_VERSION=${version})
endforeach()
netsense_matrix(reference small 3 NS_ENGINE_NET_VERSION=8)
netsense_matrix(reference small 3 NS_ENGINE_NET_VERSION=11)

# Sizes and places, by protocol and algorithm.
netsense_matrix(netsense sizes 2)
netsense_matrix(netsense sizes 3 NCCL_PROTO=LL)
netsense_matrix(netsense sizes 4 NCCL_PROTO=Simple)
netsense_matrix(netsense sizes 5 NCCL_PROTO=Simple NCCL_ALGO=allreduce:tree)
netsense_matrix(netsense sizes 4 NCCL_PROTO=LL NCCL_ALGO=allreduce:tree)
netsense_matrix(netsense sizes 2 NCCL_MIN_NCHANNELS=4 NCCL_MAX_NCHANNELS=4)
netsense_matrix(netsense sizes 2 NCCL_BUFFSIZE=262144 NCCL_PROTO=Simple)
netsense_matrix(reference sizes 4)

# Streams, threads and frames of the TCP transport.
foreach(threads 0 2)
  foreach(streams 1 4)
    netsense_matrix(netsense sizes 2 NETSENSE_TCP_STREAMS=${streams} NETSENSE_TCP_THREADS=${threads})
    netsense_matrix(netsense large 3 NETSENSE_TCP_STREAMS=${streams} NETSENSE_TCP_THREADS=${threads})
  endforeach()
endforeach()
netsense_matrix(netsense sizes 2 NETSENSE_BLOCK_SIZE=4096 NETSENSE_TCP_STREAMS=3)
netsense_matrix(netsense small 3 NETSENSE_CHECKSUM=off)

# Every message compressed that may be, and as the plugin decides: the same bytes.
foreach(codec fast tight)
  netsense_matrix(netsense types 3 NETSENSE_CODEC=${codec} NETSENSE_MIN_SIZE=1)
  netsense_matrix(netsense sizes 4 NETSENSE_CODEC=${codec} NETSENSE_MIN_SIZE=1 NETSENSE_TCP_THREADS=2)
  netsense_matrix(netsense large 3 NETSENSE_CODEC=${codec} NETSENSE_MIN_SIZE=1)
  netsense_matrix(netsense repeat 2 NETSENSE_CODEC=${codec} NETSENSE_MIN_SIZE=1 NCCL_PROTO=LL)
endforeach()

# Much data, several operations and communicators at once.
netsense_matrix(netsense large 2 NCCL_PROTO=LL)
netsense_matrix(netsense large 4 NCCL_ALGO=allreduce:tree NCCL_PROTO=Simple)
netsense_matrix(netsense large 8)
netsense_matrix(reference large 3)
foreach(ranks 2 3 4)
  netsense_matrix(netsense groups ${ranks})
endforeach()
netsense_matrix(reference groups 4)
netsense_matrix(netsense communicators 2)
netsense_matrix(netsense communicators 4)
netsense_matrix(reference communicators 3)

# LL: the reader polls flags inside the received bytes, and slots hold the flags of earlier rounds.
netsense_matrix(netsense repeat 2 NCCL_PROTO=LL)
netsense_matrix(netsense repeat 4 NCCL_PROTO=LL)
netsense_matrix(netsense repeat 2 NCCL_PROTO=LL NETSENSE_BLOCK_SIZE=4096 NETSENSE_TCP_STREAMS=4 NETSENSE_TCP_THREADS=2)
netsense_matrix(reference repeat 2 NCCL_PROTO=LL)

# CollNet: all-reduces by our own exchange, exact.
set(collnet NCCL_COLLNET_ENABLE=1 NCCL_ALGO=allreduce:collnetchain)
netsense_matrix(netsense types 2 ${collnet})
netsense_matrix(netsense types 3 ${collnet})
foreach(ranks 2 3 4 5 6 7 8)
  netsense_matrix(netsense small ${ranks} ${collnet})
endforeach()
netsense_matrix(netsense sizes 2 ${collnet})
netsense_matrix(netsense sizes 5 ${collnet} NETSENSE_TCP_THREADS=2)
netsense_matrix(netsense large 3 ${collnet})
netsense_matrix(netsense large 8 ${collnet})
netsense_matrix(netsense groups 4 ${collnet})
netsense_matrix(netsense communicators 3 ${collnet})
netsense_matrix(netsense repeat 2 ${collnet} NCCL_BUFFSIZE=262144)
