/* Windows has this library since version 10, and Rust takes its random numbers from it. Wine 8 has it not: this one lies beside
   the programs that run there. */

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    while (size > 0) {
        ULONG part = size > 0x10000 ? 0x10000 : (ULONG)size;
        if (!RtlGenRandom(data, part))
            return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
