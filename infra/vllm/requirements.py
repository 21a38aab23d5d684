"""What a wheel of vLLM for the CPU needs, one requirement a line, without torch's own family (see install.sh)."""

import sys
import zipfile
from email.parser import Parser

from pip._vendor.packaging.requirements import Requirement

# torch is installed before, from the plain registry; the other three have no wheels beside it there, and only
# models that see or hear need them
LEFT_OUT = {"torch", "torchaudio", "torchvision", "torchcodec"}


def main() -> None:
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(wheel.read(name).decode())
    for line in metadata.get_all("Requires-Dist", []):
        requirement = Requirement(line)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name not in LEFT_OUT:
            requirement.marker = None
            print(requirement)


if __name__ == "__main__":
    main()
