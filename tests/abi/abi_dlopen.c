/* What a host in plain C finds in the library: every version's symbol, nothing else, no library that may be
 * missing in a container, and no crash when it is loaded and dropped again and again or has no logger. Usage:
 * abi_dlopen LIBRARY SONAME [allow-c++-library] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/abi/elf_file.h"

/* The newest version first, as NCCL looks. All begin with a name; up to net v9 init takes only the logger. */
static const char* const kSymbols[] = {
    "ncclNetPlugin_v12",     "ncclNetPlugin_v11",     "ncclNetPlugin_v10",    "ncclNetPlugin_v9",
    "ncclNetPlugin_v8",      "ncclNetPlugin_v7",      "ncclNetPlugin_v6",     "ncclCollNetPlugin_v12",
    "ncclCollNetPlugin_v11", "ncclCollNetPlugin_v10", "ncclCollNetPlugin_v9", "ncclCollNetPlugin_v8",
    "ncclCollNetPlugin_v7",  "ncclCollNetPlugin_v6",  "ncclTunerPlugin_v6",   "ncclTunerPlugin_v5",
    "ncclTunerPlugin_v4",    "ncclTunerPlugin_v3",    "ncclTunerPlugin_v2",   "ncclProfiler_v6",
    "ncclProfiler_v5",       "ncclProfiler_v4",       "ncclProfiler_v3",      "ncclProfiler_v2",
    "ncclProfiler_v1"};
enum { kSymbolCount = sizeof kSymbols / sizeof kSymbols[0] };

struct net_v6_head {
  const char* name;
  int (*init)(void* logger);
  int (*devices)(int* count);
};

/* Parts of library names that must not stand among the dependencies. */
static const char* const kForbidden[] = {"libcuda", "libcudart", "libibverbs",
                                         "libnccl", "libstdc++", "libgcc_s"};

struct findings {
  const char* soname;
  int allow_cpp_library;
  int symbols;
  int sonames;
  int problems;
};

static int report(struct findings* found, const char* what, const char* name) {
  fprintf(stderr, "FAILED: %s: %s\n", what, name);
  ++found->problems;
  return 0;
}

static int check_needed(struct findings* found, const char* name) {
  for (size_t i = 0; i < sizeof kForbidden / sizeof kForbidden[0]; ++i) {
    const int cpp = strcmp(kForbidden[i], "libstdc++") == 0 || strcmp(kForbidden[i], "libgcc_s") == 0;
    if (strncmp(name, kForbidden[i], strlen(kForbidden[i])) == 0 && !(cpp && found->allow_cpp_library)) {
      return report(found, "needs a library that may be missing", name);
    }
  }
  return 0;
}

static int check_item(void* context, enum elf_item kind, const char* name) {
  struct findings* found = context;
  if (kind == elf_needed_library) return check_needed(found, name);
  if (kind == elf_soname) {
    ++found->sonames;
    return strcmp(name, found->soname) == 0 ? 0 : report(found, "wrong SONAME", name);
  }
  for (int i = 0; i < kSymbolCount; ++i) {
    if (strcmp(name, kSymbols[i]) == 0) {
      ++found->symbols;
      return 0;
    }
  }
  return report(found, "exports a symbol that is not NCCL's", name);
}

static void check_file(const char* path, struct findings* found) {
  struct elf_file elf;
  if (elf_open(path, &elf) != 0) exit(EXIT_FAILURE);
  if (elf_for_each(&elf, check_item, found) != 0) report(found, "cannot be read", path);
  elf_close(&elf);
  if (found->symbols != kSymbolCount) report(found, "does not export every version", path);
  if (found->sonames != 1) report(found, "has no SONAME", path);
}

/* RTLD_NOW: an undefined symbol is an error here, not in the middle of a job. */
static void check_load(const char* path, struct findings* found, int init) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    report(found, "cannot be loaded", dlerror());
    exit(EXIT_FAILURE);
  }
  for (int i = 0; i < kSymbolCount; ++i) {
    const struct net_v6_head* table = dlsym(library, kSymbols[i]);
    if (table == NULL) {
      report(found, "symbol missing", kSymbols[i]);
    } else if (strcmp(table->name, "netsense") != 0) {
      report(found, "wrong name", table->name);
    } else if (init && strcmp(kSymbols[i], "ncclNetPlugin_v6") == 0) {
      int devices = -1;
      if (table->init(NULL) != 0) report(found, "init without a logger fails", kSymbols[i]);
      if (table->devices(&devices) != 0 || devices < 1) report(found, "no device", kSymbols[i]);
    }
  }
  if (dlclose(library) != 0) report(found, "cannot be closed", dlerror());
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s LIBRARY SONAME [allow-c++-library]\n", argv[0]);
    return EXIT_FAILURE;
  }
  struct findings found = {.soname = argv[2], .allow_cpp_library = argc > 3};
  check_file(argv[1], &found);
  for (int round = 0; round < 20 && found.problems == 0; ++round) check_load(argv[1], &found, round % 2);
  if (found.problems == 0) printf("%s: %d symbols, as expected\n", argv[2], found.symbols);
  return found.problems == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
