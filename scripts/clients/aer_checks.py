"""Checks of Qiskit Aer on the emulated GPU, compared with Aer on the CPU. `aer.sh` runs it."""

import qiskit_aer
from checks import check, run
from qiskit import QuantumCircuit, transpile
from qiskit.circuit.library import QFTGate
from qiskit.circuit.random import random_circuit
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel, depolarizing_error

assert "GPU" in AerSimulator().available_devices(), "Aer finds no GPU"


def simulated(circuit, method, device, **options):
    """Runs a circuit whose final state is saved."""
    simulator = AerSimulator(method=method, device=device, **options)
    result = simulator.run(transpile(circuit, simulator), shots=200, seed_simulator=7).result()
    assert result.success, result.status
    return result


def states(circuit, method, **options):
    """Returns the final states on the GPU and on the CPU."""
    return [simulated(circuit, method, device, **options).data()[method] for device in ("GPU", "CPU")]


@check
def entangled_state():
    circuit = QuantumCircuit(3)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.cx(1, 2)
    circuit.save_statevector()
    yield states(circuit, "statevector")


@check
def random_circuits():
    for seed in range(2):
        circuit = random_circuit(4, 5, seed=seed)
        circuit.save_statevector()
        yield states(circuit, "statevector")
        yield states(circuit, "statevector", precision="single")


@check
def fourier_transform():
    circuit = QuantumCircuit(7)
    circuit.x([0, 3])
    circuit.append(QFTGate(7), range(7))
    circuit.save_statevector()
    yield states(circuit, "statevector")


@check
def density_matrix():
    circuit = random_circuit(3, 5, seed=9)
    circuit.save_density_matrix()
    yield states(circuit, "density_matrix")


@check
def unitary():
    circuit = random_circuit(4, 5, seed=9)
    circuit.save_unitary()
    yield states(circuit, "unitary")


@check
def noisy_shots():
    noise = NoiseModel()
    noise.add_all_qubit_quantum_error(depolarizing_error(0.05, 1), ["h", "x"])
    circuit = QuantumCircuit(3)
    circuit.h([0, 1, 2])
    circuit.measure_all()
    counts = simulated(circuit, "statevector", "GPU", noise_model=noise).get_counts()
    yield sum(counts.values()), 200
    yield len(counts), 8


run(f"Qiskit Aer {qiskit_aer.__version__}")
