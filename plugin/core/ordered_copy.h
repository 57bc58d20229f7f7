// Copy whose stores become visible in ascending order, 8 bytes at a time.
#pragma once

#include <cstddef>

namespace netsense::core {

// For buffers that a reader polls while they are filled. NCCL's LL reader looks at 8-byte lines {data, flag}
// and needs each line whole; its LL128 reader looks at the last 8 bytes of each 128-byte line and needs the
// other 120 before them. Ascending, untorn 8-byte stores give both. `to` may have any alignment; the
// guarantee holds for the 8-byte-aligned words of it (NCCL's buffers are aligned).
void ordered_copy(void* to, const void* from, size_t bytes);

}  // namespace netsense::core
