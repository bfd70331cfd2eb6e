"""Computes energies and forces of small systems by OpenMM's CUDA platform and compares them with its Reference platform.

Usage: openmm_systems.py [NAME]..., patterns of names. It needs a CUDA driver, such as that of `lanework exec`. Prints a line for each system; exit
code 1 where a force differs.
"""

import re
import sys
import time

import numpy as np
import openmm
from openmm import unit

random = np.random.default_rng(2)
failures = 0
# 27 molecules of water on a grid of a box of 1.2 nm, each turned at random.
MOLECULES, EDGE = 27, 1.2


def water():
    shape = np.array([[0, 0, 0], [0.09572, 0, 0], [-0.02399872, 0.09266272, 0]])
    places = []
    for corner in np.ndindex(3, 3, 3):
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        places.append(shape @ turn + (np.array(corner) + 0.5) * EDGE / 3)
    return np.concatenate(places)


def system(method, rigid=True):
    made = openmm.System()
    made.setDefaultPeriodicBoxVectors(*(np.eye(3) * EDGE))
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(getattr(openmm.NonbondedForce, method))
    force.setCutoffDistance(0.5)
    bonds, angles = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce()
    for molecule in range(MOLECULES):
        first = 3 * molecule
        for mass, charge, size, depth in [(15.99943, -0.834, 0.315075, 0.635968), (1.007947, 0.417, 1, 0), (1.007947, 0.417, 1, 0)]:
            made.addParticle(mass)
            force.addParticle(charge, size, depth)
        for one, two, length in [(0, 1, 0.09572), (0, 2, 0.09572), (1, 2, 0.15139)]:
            force.addException(first + one, first + two, 0, 1, 0)
            if rigid:
                made.addConstraint(first + one, first + two, length)
        if not rigid:
            bonds.addBond(first, first + 1, 0.1, 462750)
            bonds.addBond(first, first + 2, 0.1, 462750)
            angles.addAngle(first + 1, first, first + 2, 1.8, 836.8)
    made.addForce(force)
    if not rigid:
        made.addForce(bonds)
        made.addForce(angles)
    return made


def custom():
    made = system("CutoffPeriodic", rigid=False)
    pairs = openmm.CustomNonbondedForce("k*exp(-r/s)*(1+sin(3*r)); k=sqrt(k1*k2)")
    pairs.addPerParticleParameter("k")
    pairs.addGlobalParameter("s", 0.2)
    pairs.setNonbondedMethod(pairs.CutoffPeriodic)
    pairs.setCutoffDistance(0.5)
    field = openmm.CustomExternalForce("2*(x-0.5)^2+abs(y)+z^3")
    for particle in range(made.getNumParticles()):
        pairs.addParticle([1.0 + particle % 3])
        field.addParticle(particle)
    for exception in range(3 * MOLECULES):
        pairs.addExclusion(*made.getForce(0).getExceptionParameters(exception)[:2])
    made.addForce(pairs)
    made.addForce(field)
    return made


def implicit():
    made = system("NoCutoff", rigid=False)
    born = openmm.GBSAOBCForce()
    for particle in range(made.getNumParticles()):
        born.addParticle(*[(-0.834, 0.15, 0.85), (0.417, 0.12, 0.8), (0.417, 0.12, 0.8)][particle % 3])
    made.addForce(born)
    return made


def state(made, platform, precision, integrator=None, steps=0):
    properties = {"Precision": precision} if platform == "CUDA" else {}
    context = openmm.Context(made, integrator or openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(places)
    if steps:
        context.getIntegrator().step(steps)
    found = context.getState(getForces=True, getEnergy=True, getPositions=True)
    return (found.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole), np.array(found.getForces(asNumpy=True)), np.array(found.getPositions(asNumpy=True)))


places = water()
CASES = {
    "no cutoff, double": (lambda: system("NoCutoff"), "double", 0),
    "cutoff, mixed": (lambda: system("CutoffPeriodic", False), "mixed", 0),
    "cutoff, single": (lambda: system("CutoffPeriodic", False), "single", 0),
    "custom forces, double": (custom, "double", 0),
    "implicit water, mixed": (implicit, "mixed", 0),
    "five steps, rigid, double": (lambda: system("CutoffPeriodic"), "double", 5),
    "PME, mixed": (lambda: system("PME", False), "mixed", 0),
    "PME, double": (lambda: system("PME"), "double", 0),
}
for name, (build, precision, steps) in CASES.items():
    if sys.argv[1:] and not any(re.search(pattern, name) for pattern in sys.argv[1:]):
        continue
    began = time.time()
    try:
        (energy, forces, ends), (other, others, further) = (state(build(), platform, precision, steps=steps) for platform in ("CUDA", "Reference"))
        apart = np.linalg.norm(forces - others) / np.linalg.norm(others)
        near = apart < (1e-6 if precision == "double" and "PME" not in name else 5e-4) and np.abs(ends - further).max() < 1e-5
        said = f"forces differ by {apart:.1e}, energies {energy:.4f} and {other:.4f}"
    except openmm.OpenMMException as error:
        near, said = False, str(error).splitlines()[0]
    failures += not near
    print(f"{name:<30} {'passed' if near else 'failed':<8} {said}, {time.time() - began:.0f} s", flush=True)
sys.exit(failures > 0)
