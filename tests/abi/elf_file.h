/* Reads what a shared library exports and needs, straight from the file. */
#ifndef NETSENSE_TESTS_ABI_ELF_FILE_H
#define NETSENSE_TESTS_ABI_ELF_FILE_H

#include <stddef.h>

struct elf_file {
  const unsigned char* bytes;
  size_t size;
};

/* Maps the file. Returns 0, or -1 with a line on stderr when it is not a 64-bit shared library of this
 * machine. */
int elf_open(const char* path, struct elf_file* elf);
void elf_close(struct elf_file* elf);

/* Calls visit for each symbol that other objects can bind to, and for each DT_NEEDED (kind says which), until
 * visit returns other than 0. Returns that value, 0 at the end, or -1 for a malformed file. */
enum elf_item { elf_exported_symbol, elf_needed_library, elf_soname };
typedef int (*elf_visit)(void* context, enum elf_item kind, const char* name);
int elf_for_each(const struct elf_file* elf, elf_visit visit, void* context);

#endif
