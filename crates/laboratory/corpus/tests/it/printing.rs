//! The output of the printing kernel, read from the emulator directly, as the facade sends it to
//! standard output.

use lanework_corpus::{Argument, all, variants};
use lanework_runtime::emulator::{Emulator, LaunchConfig, NullObserver, Options};

#[test]
fn kernels_print_as_c_does() {
    let cases = all();
    let case = cases.iter().find(|case| case.name == "printing").expect("the case");
    for variant in variants().iter().filter(|variant| variant.unit == case.unit) {
        let emulator = Emulator::new(Options::default());
        let module = lanework_runtime::ptx::Module::parse(variant.text).expect(variant.file);
        let program = emulator.load(&module).expect(variant.file);
        let arguments: Vec<Vec<u8>> = case.launches[0]
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Bytes(bytes) => bytes.clone(),
                Argument::Buffer(name) => {
                    let (_, bytes) =
                        case.buffers.iter().find(|(known, _)| known == name).expect(name);
                    let address = emulator.allocate(bytes.len() as u64, name).expect("memory");
                    emulator.write(address, bytes).expect("in bounds");
                    address.to_le_bytes().to_vec()
                }
            })
            .collect();
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let config = LaunchConfig::new("printing", [2, 1, 1], [10, 1, 1]);
        let outcome =
            emulator.launch(&program, &config, &arguments, &mut NullObserver).expect(variant.file);
        let expected = "0:    32|0   |20 even a 0.000 0 %\n\
            5:  -775|25  |fffffcf9 odd f 0.625 5497558138880 %\n\
            10:   287|100 |11f even k 1.250 10995116277760 %\n\
            15:   372|225 |174 odd p 1.875 16492674416640 %\n";
        assert_eq!(outcome.printed, expected, "{}", variant.file);
    }
}
