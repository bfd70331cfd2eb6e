"""Checks of gpu4pyscf on the emulated GPU, compared with PySCF on the CPU. `gpu4pyscf.sh` runs it."""

import gpu4pyscf
from checks import check, run
from pyscf import gto

molecule = gto.M(atom="H 0 0 0; F 0 0 0.9", basis="sto-3g", verbose=0)


@check
def hartree_fock():
    found, expected = molecule.RHF().to_gpu(), molecule.RHF()
    yield found.kernel(), expected.kernel()
    yield found.mo_energy.get(), expected.mo_energy


@check
def gradient():
    found, expected = molecule.RHF().to_gpu().run(), molecule.RHF().run()
    yield found.nuc_grad_method().kernel(), expected.nuc_grad_method().kernel()


@check
def density_functional():
    found, expected = molecule.RKS(xc="pbe"), molecule.RKS(xc="pbe")
    for method in (found, expected):
        method.grids.level = 0
    yield found.to_gpu().kernel(), expected.kernel()


run(f"gpu4pyscf {gpu4pyscf.__version__}", tolerance=1e-7)
