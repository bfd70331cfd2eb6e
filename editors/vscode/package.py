#!/usr/bin/env python3
"""Packages the extension: writes lanework-debug-VERSION.vsix beside this file, or to the path given.

A .vsix file is a zip archive with a manifest, so that no package of npm is needed.
"""
import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

FOLDER = Path(__file__).resolve().parent
FILES = ["package.json", "extension.js", "README.md", "terminal.png"]

TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".png" ContentType="image/png"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def manifest(package):
    """The manifest of the archive."""
    identity = " ".join(
        f"{name}={quoteattr(value)}"
        for name, value in [
            ("Language", "en-US"),
            ("Id", package["name"]),
            ("Version", package["version"]),
            ("Publisher", package["publisher"]),
        ]
    )
    engine = quoteattr(package["engines"]["vscode"])
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity {identity}/>
<DisplayName>{package["displayName"]}</DisplayName>
<Description xml:space="preserve">{package["description"]}</Description>
<Categories>{",".join(package["categories"])}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/></Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
</Assets>
</PackageManifest>
"""


def main():
    package = json.loads((FOLDER / "package.json").read_text())
    name = f"{package['name']}-{package['version']}.vsix"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / name
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("extension.vsixmanifest", manifest(package))
        for file in FILES:
            archive.write(FOLDER / file, f"extension/{file}")
    print(target)


if __name__ == "__main__":
    main()
