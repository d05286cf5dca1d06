/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

int histogram(int bins, int values);

static PyObject *call(PyObject *, PyObject *arguments) {
  int bins, values;
  if (!PyArg_ParseTuple(arguments, "ii", &bins, &values))
    return nullptr;
  return PyLong_FromLong(histogram(bins, values));
}

static PyMethodDef methods[] = {{"histogram", call, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_core", nullptr, -1, methods};

PyMODINIT_FUNC PyInit__core() {
  return PyModule_Create(&module);
}
