// Starts `lanework debug --dap` for a launch configuration; the command speaks the Debug Adapter Protocol itself.
"use strict";

/** The command line of `lanework` for a launch configuration: of a kernel, a rung, or a program. */
function commandLine(configuration) {
  const { kernel, command, programArguments } = configuration;
  const line = ["debug", "--dap"];
  for (const name of ["grid", "block", "entry", "order", "launch"]) {
    if (configuration[name]) line.push(`--${name}`, String(configuration[name]));
  }
  line.push(...(configuration.options || []).map(String));
  for (const argument of configuration.arguments || []) line.push("--arg", String(argument));
  if (command) return [...line, "--", ...command.map(String)];
  if (programArguments) return [...line, kernel, "--", ...programArguments.map(String)];
  return [...line, kernel];
}

function activate(context) {
  const vscode = require("vscode");
  const factory = {
    createDebugAdapterDescriptor(session) {
      const { configuration, workspaceFolder } = session;
      const cwd = configuration.cwd || (workspaceFolder && workspaceFolder.uri.fsPath);
      const command = configuration.lanework || "lanework";
      return new vscode.DebugAdapterExecutable(command, commandLine(configuration), { cwd });
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("lanework", factory),
  );
}

module.exports = { activate, commandLine, deactivate() {} };
