// Which elements of a sparse block are kept, and how it says where they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/lossy_work.h"

namespace netsense::kernels {

// Marks in work.bitmap the elements to keep: of those that are not zero nor below the threshold the largest
// magnitudes, at most choice.keep, of equals the first. Their positions go into work.positions; returns how
// many there are.
size_t select_kept(const Backend& backend, const LossyChoice& choice, const float* values, size_t n,
                   LossyWork& work);

// The positions' form that takes the fewest bytes: the bitmap, or the narrowest of the best gaps.
struct IndexForm {
  unsigned width;  // of a gap; 0: the bitmap
  size_t fields;
  size_t bytes;  // width 0: the bitmap; otherwise the number of fields, too
};
IndexForm choose_form(const Backend& backend, size_t n, size_t kept, LossyWork& work);

// Writes form.bytes.
void write_positions(const Backend& backend, const IndexForm& form, size_t n, size_t kept, LossyWork& work,
                     uint8_t* out);

// Reads the positions from `bytes` bytes, or from as many of them as they take, into work.positions. Returns
// these bytes, or 0 where they are not what an encoder could have written.
size_t read_positions(const Backend& backend, unsigned width, size_t n, size_t kept, const uint8_t* in,
                      size_t bytes, LossyWork& work);

}  // namespace netsense::kernels
