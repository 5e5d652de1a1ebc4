/* A library without Python, which another library needs. */
#include "python.h"

EXPORT long power(long base, long exponent) {
    long result = 1;
    for (long i = 0; i < exponent; i++) result *= base;
    return result;
}
