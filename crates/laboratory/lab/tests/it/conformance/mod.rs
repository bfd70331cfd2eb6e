//! Single instructions on the emulator, against an H200 and ptxas.

mod exhaustive;
mod operands;
mod results;
mod robust;
