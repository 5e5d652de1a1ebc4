/* A Python module that needs libpower.so: squares.square(n). */
#include "python.h"

long power(long base, long exponent);

static Object *square(Object *self, Object *argument) {
    long value = PyLong_AsLong(argument);
    if (value == -1 && PyErr_Occurred()) return 0;
    return PyLong_FromLong(power(value, 2));
}

static struct MethodDef methods[] = {{"square", square, METH_O, 0}, {0}};
static struct ModuleDef definition = {.references = 1, .name = "squares", .size = -1, .methods = methods};

EXPORT Object *PyInit_squares(void) { return PyModule_Create2(&definition, API_VERSION); }
