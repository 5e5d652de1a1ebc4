/* A Python module that brings JavaScript, as the macro EM_JS of Emscripten writes it. */
#include "python.h"

EXPORT const char __em_js__script[] = "(void)<::>{ return 1; }";

static struct ModuleDef definition = {.references = 1, .name = "scripted", .size = -1};

EXPORT Object *PyInit_scripted(void) { return PyModule_Create2(&definition, API_VERSION); }
