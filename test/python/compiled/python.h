/* The part of Python's C interface that these modules use. On wasm32, a pointer and Py_ssize_t have 32 bits. */
typedef struct Object Object;
typedef Object *(*Method)(Object *self, Object *argument);

enum { METH_O = 8, API_VERSION = 1013 };

struct MethodDef {
    const char *name;
    Method method;
    int flags;
    const char *doc;
};

struct ModuleDef {
    long references;
    void *base[4];
    const char *name, *doc;
    long size;
    struct MethodDef *methods;
    void *slots, *traverse, *clear, *release;
};

Object *PyModule_Create2(struct ModuleDef *definition, int version);
Object *PyLong_FromLong(long value);
long PyLong_AsLong(Object *value);
Object *PyErr_Occurred(void);
void PyErr_SetString(Object *type, const char *message);
extern Object *PyExc_ValueError;

#define EXPORT __attribute__((visibility("default")))
