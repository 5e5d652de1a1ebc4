/* A Python module with state: tally.add(n) returns the sum of all n so far, and raises ValueError below 0. */
#include "python.h"

static long total;

/* Runs when the library is linked, so that a sum shows whether constructors ran. */
__attribute__((constructor)) static void begin(void) { total = 100; }

static Object *add(Object *self, Object *argument) {
    long value = PyLong_AsLong(argument);
    if (value == -1 && PyErr_Occurred()) return 0;
    if (value < 0) {
        PyErr_SetString(PyExc_ValueError, "below 0");
        return 0;
    }
    total += value;
    return PyLong_FromLong(total);
}

static struct MethodDef methods[] = {{"add", add, METH_O, 0}, {0}};
static struct ModuleDef definition = {.references = 1, .name = "tally", .size = -1, .methods = methods};

EXPORT Object *PyInit_tally(void) { return PyModule_Create2(&definition, API_VERSION); }
