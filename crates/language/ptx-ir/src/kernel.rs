//! A lowered kernel: a flat list of instructions over numbered registers, with calls inlined and names resolved.

use crate::SourceLocation;
use crate::opcode::Alu;
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::matrix::MatrixOp;
use crate::opcode::memory::WarpOp;
use crate::opcode::texture::TextureOp;
use std::collections::HashMap;
use std::sync::Arc;

pub use crate::opcode::memory::{
    AccessPart, BarrierKind, MemoryKind, MemoryOp, MemoryOrder, Reduction, Scope, SyncAnnotation,
};
pub use crate::types::{MemorySpace, NanUse, Width};

/// A register's number in [`Kernel::registers`].
pub type Reg = u32;
/// A label's number in [`Kernel::labels`].
pub type Label = u32;

/// A special register: a value that a thread has without computing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    /// `%tid`, by axis.
    Thread(u8),
    /// `%ntid`, by axis.
    BlockShape(u8),
    /// `%ctaid`, by axis.
    Block(u8),
    /// `%nctaid`, by axis.
    GridShape(u8),
    /// `%laneid`.
    Lane,
    /// `%warpid`.
    Warp,
    /// `%nwarpid`.
    Warps,
    /// `%smid`.
    Multiprocessor,
    /// `%nsmid`.
    Multiprocessors,
    /// `%gridid`.
    Grid,
    /// `%lanemask_eq`, `_le`, `_lt`, `_ge`, `_gt`.
    LaneMask(LaneMask),
    /// `%dynamic_smem_size`.
    DynamicShared,
    /// `%total_smem_size`.
    TotalShared,
    /// `%clusterid`, by axis.
    Cluster(u8),
    /// `%nclusterid`, by axis.
    Clusters(u8),
    /// `%cluster_ctaid`, by axis.
    ClusterBlock(u8),
    /// `%cluster_nctaid`, by axis.
    ClusterShape(u8),
    /// `%cluster_ctarank`.
    ClusterRank,
    /// `%cluster_nctarank`.
    ClusterBlocks,
    /// `%is_explicit_cluster`, as 0 or 1.
    ExplicitCluster,
    /// `%envreg1` and `%envreg2`: the high and the low half of the address of the grid's workspace, which the
    /// driver sets in a cooperative launch; 0 in any other.
    Environment(u8),
    /// Bytes of a thread's stack for recursive calls; not a PTX register.
    StackBytes,
}

/// Which lanes a `%lanemask_` register names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneMask {
    /// This one.
    Equal,
    /// This and lower ones.
    AtMost,
    /// Lower ones.
    Below,
    /// This and higher ones.
    AtLeast,
    /// Higher ones.
    Above,
}

/// A register.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// How it is stored.
    pub width: Width,
    /// The special register it stands for; such a register is never written.
    pub special: Option<SpecialRegister>,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant, in the low bits of a 64-bit word.
    Const(u64),
    /// A constant predicate.
    Truth(bool),
    /// A shared-memory offset counted from the start of dynamic shared memory, plus a window base.
    DynamicShared(u64),
}

impl Operand {
    /// The register, if the operand is one.
    pub fn register(self) -> Option<Reg> {
        match self {
            Operand::Reg(register) => Some(register),
            _ => None,
        }
    }
}

/// The operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// Computes `dst[0]` from the sources.
    Alu(Alu),
    /// An operation across the lanes of a warp.
    Warp(WarpOp),
    /// Accesses memory.
    Memory(MemoryOp),
    /// Branches to a label if the guard holds.
    Branch(Label),
    /// Ends the active threads.
    Exit,
    /// Ends the active threads at the end of the kernel: the exit that other lanes reconverge toward.
    Return,
    /// Faults.
    Trap,
    /// Faults because an assertion failed.
    AssertFail,
    /// Faults because a thread's stack is full.
    StackOverflow,
    /// Waits at a barrier: sources are its number and, if counted, its threads.
    Barrier {
        /// The kind of barrier.
        kind: BarrierKind,
        /// Whether all threads of a warp must execute this same instruction.
        aligned: bool,
    },
    /// Copies asynchronously: `src` are the shared and the global address and the bytes to read.
    AsyncCopy {
        /// Bytes to write.
        bytes: u8,
    },
    /// An asynchronous copy, or a wait or synchronization.
    Async(AsyncOp),
    /// Loads, stores or multiplies matrices distributed over the warp.
    Matrix(MatrixOp),
    /// Samples a texture or accesses a surface.
    Texture(TextureOp),
    /// Waits until the lanes in the mask `src[0]` that have not exited arrive, here or at another instruction of this kind
    /// with the same mask. `src[1]` is the value that a lane contributes to the operation; `None` is `bar.warp.sync`,
    /// which has no value.
    Converge(Option<WarpOp>),
    /// An annotation for checks; no effect.
    Annotation(SyncAnnotation),
    /// No effect in the emulator.
    Nothing,
}

impl Opcode {
    /// Whether it does more than compute results from its operands and the clock. The match has no catch-all, so a new opcode
    /// has to be classified here.
    pub fn has_effect(&self) -> bool {
        match self {
            Opcode::Alu(_) | Opcode::Warp(WarpOp::Clock { .. }) | Opcode::Nothing => false,
            Opcode::Warp(_)
            | Opcode::Memory(_)
            | Opcode::Branch(_)
            | Opcode::Exit
            | Opcode::Return
            | Opcode::Trap
            | Opcode::AssertFail
            | Opcode::StackOverflow
            | Opcode::Barrier { .. }
            | Opcode::AsyncCopy { .. }
            | Opcode::Async(_)
            | Opcode::Matrix(_)
            | Opcode::Texture(_)
            | Opcode::Converge(_)
            | Opcode::Annotation(_) => true,
        }
    }
}

/// One instruction.
#[derive(Clone)]
pub struct Inst {
    /// The operation.
    pub opcode: Opcode,
    /// Destinations; `None` for `_`.
    pub dst: Vec<Option<Reg>>,
    /// Sources.
    pub src: Vec<Operand>,
    /// The guard and whether it is negated.
    pub guard: Option<(Reg, bool)>,
    /// Index into [`Kernel::origins`].
    pub origin: u32,
}

impl Inst {
    /// The registers that it reads: sources, then the guard.
    pub fn reads(&self) -> impl Iterator<Item = Reg> {
        let guard = self.guard.map(|(register, _)| register);
        self.src.iter().filter_map(|src| src.register()).chain(guard)
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Reg> {
        self.dst.iter().flatten().copied()
    }

    /// How it treats the NaN of f32 arithmetic.
    pub fn nan_use(&self) -> NanUse {
        match self.opcode {
            Opcode::Alu(op) => op.nan_use(),
            _ => NanUse::Observes,
        }
    }

    /// Whether it only computes its results from its operands, lane by lane.
    pub fn is_alu(&self) -> bool {
        matches!(self.opcode, Opcode::Alu(_))
    }
}

/// A PTX instruction and its source position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name in the text.
    pub name: String,
    /// Its source position.
    pub location: Option<SourceLocation>,
    /// Its line in the text.
    pub text_line: u32,
    /// The enclosing calls, inlined by the compiler or by lowering, innermost first.
    pub callers: Arc<[SourceLocation]>,
}

/// A kernel parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its offset in the parameter buffer.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A variable in shared or local memory.
#[derive(Clone, Debug)]
pub struct PlacedVariable {
    /// Its name.
    pub name: String,
    /// Its offset.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A function whose body lowering put in place of a call.
#[derive(Clone, Debug)]
pub struct InlinedFunction {
    /// Its name.
    pub name: String,
    /// The range of its instructions in [`Kernel::origins`], with those of the functions that it calls.
    pub origins: std::ops::Range<u32>,
    /// The number of its first own variable in [`Kernel::local_variables`].
    pub first_local: u32,
}

/// A kernel, ready to be analyzed for a block shape.
#[derive(Clone, Default)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Instructions.
    pub insts: Vec<Inst>,
    /// The instruction after each label.
    pub labels: Vec<usize>,
    /// Registers.
    pub registers: Vec<Register>,
    /// PTX names of registers, if lowering kept them.
    pub register_names: HashMap<Reg, String>,
    /// The inlined functions, callers before their callees.
    pub functions: Vec<InlinedFunction>,
    /// The PTX instruction and source position of each instruction.
    pub origins: Vec<Origin>,
    /// The module's source files; `.loc` numbers them from 1.
    pub files: Vec<String>,
    /// By origin: its source file number and the numbers of the files it was inlined into, innermost first.
    pub source_files: Vec<Box<[u32]>>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Bytes of all parameters.
    pub parameter_bytes: u32,
    /// Bytes of static shared memory, where dynamic shared memory starts.
    pub static_shared: u32,
    /// Bytes of static shared memory that the program itself declares.
    pub declared_shared: u32,
    /// Static variables in shared memory.
    pub shared_variables: Vec<PlacedVariable>,
    /// The name of dynamic shared memory, if it has one.
    pub dynamic_shared: Option<String>,
    /// Variables in local memory.
    pub local_variables: Vec<PlacedVariable>,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`, as threads in all.
    pub max_threads: Option<u32>,
    /// Registers per thread at launch, for a kernel with `setmaxnreg`, if its directives determine them: `.maxnreg`, or the largest count
    /// that its instructions request, limited to what a multiprocessor has for `.maxntid` threads (times `.minnctapersm`).
    pub entry_registers: Option<u32>,
    /// `.reqnctapercluster`.
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: the launch must give the cluster shape.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: the most blocks of a cluster.
    pub max_cluster: Option<u32>,
    /// Whether results may depend on the order of atomics between blocks.
    pub ordered_blocks: bool,
}

impl Kernel {
    /// The source file of a `.loc` file number; empty if unknown.
    pub fn file(&self, number: u32) -> &str {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| self.files.get(index)).map_or("", String::as_str)
    }

    /// Whether it reads the address of the grid's workspace, as `grid.sync()` of cooperative groups does.
    pub fn reads_workspace(&self) -> bool {
        let environment = |special| matches!(special, Some(SpecialRegister::Environment(_)));
        self.registers.iter().any(|register| environment(register.special))
    }
}
