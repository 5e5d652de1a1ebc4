/* A Python module of C++: halves.halve(n) throws and catches an exception for an odd n, and then raises ValueError. */
extern "C" {
#include "python.h"
}

struct Odd {};

__attribute__((noinline)) static long half(long value) {
    if (value % 2 != 0) throw Odd();
    return value / 2;
}

static Object *halve(Object *self, Object *argument) {
    long value = PyLong_AsLong(argument);
    if (value == -1 && PyErr_Occurred()) return 0;
    try {
        return PyLong_FromLong(half(value));
    } catch (Odd) {
        PyErr_SetString(PyExc_ValueError, "odd");
        return 0;
    }
}

static MethodDef methods[] = {{"halve", halve, METH_O, 0}, {0}};
static ModuleDef definition = {1, {0}, "halves", 0, -1, methods};

extern "C" EXPORT Object *PyInit_halves(void) { return PyModule_Create2(&definition, API_VERSION); }
