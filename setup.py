"""Build the kernels with Cython where a compiler works, and go on without them where none does.

Everything else about the package is in pyproject.toml.
"""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = sorted(
    path for path in Path("src/doxeval/kernels").glob("*.py") if path.stem not in ("__init__", "stand_in")
)

OLDEST = "cp311"
"""Extensions use the limited API of this Python, so that one wheel serves it and all that follow."""
LIMITED_API = "0x030B0000"

DIRECTIVES = {"language_level": 3, "boundscheck": False, "wraparound": False, "infer_types": True}
"""Kernels index only what they have measured, from 0; C types spread from the declared columns to locals."""


def compiled_kernels() -> list[Extension]:
    """The kernels as extension modules; none when Cython cannot translate them or is told not to."""
    if os.environ.get("DOXEVAL_NO_COMPILE"):
        return []
    extensions = [
        Extension(
            f"doxeval.kernels.{path.stem}",
            [path.as_posix()],
            define_macros=[("Py_LIMITED_API", LIMITED_API)],
            extra_compile_args=[] if os.name == "nt" else ["-O3"],
            py_limited_api=True,
            optional=True,
        )
        for path in KERNELS
    ]
    try:
        from Cython.Build import cythonize

        return cythonize(
            extensions, compiler_directives=DIRECTIVES, build_dir="build/cython", include_path=["src"]
        )
    except Exception as problem:
        print(f"doxeval: Cython could not translate the kernels ({problem}); they will run as plain Python")
        return []


class BuildKernelsOrGoOn(build_ext):
    """Compile the kernels; whatever goes wrong with the compiler, install without them."""

    def run(self) -> None:
        try:
            super().run()
        except Exception as problem:
            print(f"doxeval: no working C compiler ({problem}); the kernels will run as plain Python")
            self.extensions = []

    def copy_extensions_to_source(self) -> None:
        self.extensions = [
            extension
            for extension in self.extensions
            if Path(self.build_lib, self.get_ext_filename(self.get_ext_fullname(extension.name))).exists()
        ]
        super().copy_extensions_to_source()


setup(
    ext_modules=compiled_kernels(),
    cmdclass={"build_ext": BuildKernelsOrGoOn},
    options={"bdist_wheel": {"py_limited_api": OLDEST}, "build_ext": {"parallel": os.cpu_count()}},
)
