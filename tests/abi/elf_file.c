#define _GNU_SOURCE
#include "tests/abi/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const char* what) {
  fprintf(stderr, "elf_file: %s\n", what);
  return -1;
}

/* Null unless [offset, offset + size) lies in the file. */
static const void* at(const struct elf_file* elf, size_t offset, size_t size) {
  if (offset > elf->size || size > elf->size - offset) return NULL;
  return elf->bytes + offset;
}

int elf_open(const char* path, struct elf_file* elf) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return complain("cannot open the file");
  struct stat status;
  void* bytes = MAP_FAILED;
  if (fstat(fd, &status) == 0 && status.st_size > 0) {
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  close(fd);
  if (bytes == MAP_FAILED) return complain("cannot map the file");
  elf->bytes = bytes;
  elf->size = (size_t)status.st_size;
  const Elf64_Ehdr* header = at(elf, 0, sizeof *header);
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_DYN) {
    elf_close(elf);
    return complain("not a 64-bit shared library");
  }
  return 0;
}

void elf_close(struct elf_file* elf) {
  munmap((void*)elf->bytes, elf->size);
  elf->bytes = NULL;
  elf->size = 0;
}

/* A string of a string table section, or null. */
static const char* string_at(const struct elf_file* elf, const Elf64_Shdr* strings, size_t offset) {
  if (offset >= strings->sh_size) return NULL;
  const char* text = at(elf, strings->sh_offset + offset, strings->sh_size - offset);
  if (text == NULL || memchr(text, 0, strings->sh_size - offset) == NULL) return NULL;
  return text;
}

static int visit_symbols(const struct elf_file* elf, const Elf64_Shdr* section, const Elf64_Shdr* strings,
                         elf_visit visit, void* context) {
  const Elf64_Sym* symbols = at(elf, section->sh_offset, section->sh_size);
  if (symbols == NULL) return complain("symbol table outside the file");
  for (size_t i = 1; i < section->sh_size / sizeof *symbols; ++i) {
    const Elf64_Sym* symbol = &symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
    const char* name = string_at(elf, strings, symbol->st_name);
    if (name == NULL) return complain("symbol without a name");
    const int result = visit(context, elf_exported_symbol, name);
    if (result != 0) return result;
  }
  return 0;
}

static int visit_dynamic(const struct elf_file* elf, const Elf64_Shdr* section, const Elf64_Shdr* strings,
                         elf_visit visit, void* context) {
  const Elf64_Dyn* entries = at(elf, section->sh_offset, section->sh_size);
  if (entries == NULL) return complain("dynamic section outside the file");
  for (size_t i = 0; i < section->sh_size / sizeof *entries && entries[i].d_tag != DT_NULL; ++i) {
    if (entries[i].d_tag != DT_NEEDED && entries[i].d_tag != DT_SONAME) continue;
    const char* name = string_at(elf, strings, entries[i].d_un.d_val);
    if (name == NULL) return complain("dynamic entry without a name");
    const int result = visit(context, entries[i].d_tag == DT_NEEDED ? elf_needed_library : elf_soname, name);
    if (result != 0) return result;
  }
  return 0;
}

int elf_for_each(const struct elf_file* elf, elf_visit visit, void* context) {
  const Elf64_Ehdr* header = at(elf, 0, sizeof *header);
  const Elf64_Shdr* sections = at(elf, header->e_shoff, (size_t)header->e_shnum * sizeof *sections);
  if (sections == NULL) return complain("section table outside the file");
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* section = &sections[i];
    if (section->sh_type != SHT_DYNSYM && section->sh_type != SHT_DYNAMIC) continue;
    if (section->sh_link >= header->e_shnum) return complain("section without strings");
    const Elf64_Shdr* strings = &sections[section->sh_link];
    const int result = section->sh_type == SHT_DYNSYM ? visit_symbols(elf, section, strings, visit, context)
                                                      : visit_dynamic(elf, section, strings, visit, context);
    if (result != 0) return result;
  }
  return 0;
}
