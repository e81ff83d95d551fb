/* Slots of functions that libraries import, as the ELF loader of glibc keeps them. Entry points: import.h. */
#include "base/import.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OF_FUNCTION = R_X86_64_JUMP_SLOT };
#elif defined(__aarch64__)
enum { OF_FUNCTION = R_AARCH64_JUMP_SLOT };
#else
enum { OF_FUNCTION = -1 };
#endif

/* What the dynamic section of a library says. */
struct tables {
    const ElfW(Rela) * relocations;
    size_t n;
    const ElfW(Sym) * symbols;
    const char *names;
    bool is_constant;
};

static struct tables read_tables(const struct link_map *library)
{
    struct tables t = {0};
    bool has_addends = false;
    for (const ElfW(Dyn) *d = library->l_ld; d->d_tag != DT_NULL; d++) {
        const void *const at = (const void *)d->d_un.d_ptr; /* the loader has added where it lies */
        switch (d->d_tag) {
        case DT_JMPREL: t.relocations = at; break;
        case DT_SYMTAB: t.symbols = at; break;
        case DT_STRTAB: t.names = at; break;
        case DT_PLTRELSZ: t.n = d->d_un.d_val / sizeof *t.relocations; break;
        case DT_PLTREL: has_addends = d->d_un.d_val == DT_RELA; break;
        case DT_FLAGS: t.is_constant |= (d->d_un.d_val & DF_BIND_NOW) != 0; break;
        case DT_FLAGS_1: t.is_constant |= (d->d_un.d_val & DF_1_NOW) != 0; break;
        default: break;
        }
    }
    if (!has_addends || !t.relocations || !t.symbols || !t.names) t.n = 0;
    return t;
}

static bool set(void (**slot)(void), void (*to)(void), bool is_constant)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *const at = (void *)((uintptr_t)slot / page * page);
    if (is_constant && mprotect(at, page, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot, to, __ATOMIC_RELEASE);
    if (is_constant) mprotect(at, page, PROT_READ);
    return true;
}

bool heddle__import_redirect(struct heddle_import *import, void (*inside)(void), const char *name,
                             void (*to)(void))
{
    Dl_info info;
    struct link_map *library = NULL;
    const void *address;
    memcpy(&address, &inside, sizeof address);
    *import = (struct heddle_import){0};
    if (!dladdr1(address, &info, (void **)&library, RTLD_DL_LINKMAP) || !library) return false;
    const struct tables t = read_tables(library);
    for (size_t i = 0; i < t.n; i++) {
        const ElfW(Rela) *r = &t.relocations[i];
        if ((int64_t)ELF64_R_TYPE(r->r_info) != OF_FUNCTION ||
            strcmp(t.names + t.symbols[ELF64_R_SYM(r->r_info)].st_name, name) != 0)
            continue;
        void (**slot)(void) = (void (**)(void))(library->l_addr + r->r_offset);
        void (*const before)(void) = *slot;
        if (!set(slot, to, t.is_constant)) return false;
        *import = (struct heddle_import){slot, before, t.is_constant};
        return true;
    }
    return false;
}

void heddle__import_restore(struct heddle_import *import)
{
    if (import->slot) set(import->slot, import->before, import->is_constant);
    *import = (struct heddle_import){0};
}
