// Starts `lanework debug --dap` for a launch configuration; the command speaks the Debug Adapter Protocol itself.
"use strict";

/** The command line of `lanework` for a launch configuration. */
function commandLine(configuration) {
  const line = ["debug", configuration.kernel];
  for (const name of ["grid", "block", "entry", "order"]) {
    if (configuration[name]) line.push(`--${name}`, String(configuration[name]));
  }
  line.push(...(configuration.options || []));
  for (const argument of configuration.arguments || []) line.push("--arg", String(argument));
  line.push("--dap");
  return line;
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
