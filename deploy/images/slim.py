"""Take out of an environment what no process of an image uses: python slim.py ENVIRONMENT.

Other devices and formats than OpenVINO runs our networks on, AWS's services that nothing here
calls, and numpy's own tests. A pattern that no longer fits any file is an error: then a new
version has moved it, or does without.
"""

import shutil
import sys
from pathlib import Path

UNUSED = {
    "openvino": (
        "libs/libopenvino_intel_gpu_plugin.so",
        "libs/cache.json",  # for the GPU's kernels
        "libs/libopenvino_intel_npu_plugin.so",
        "libs/libopenvino_gguf_frontend.so.*",
        "libs/libopenvino_jax_frontend.so.*",
        "libs/libopenvino_paddle_frontend.so.*",
        "libs/libopenvino_pytorch_frontend.so.*",
        "libs/libopenvino_tensorflow_frontend.so.*",
        "libs/libopenvino_tensorflow_lite_frontend.so.*",
    ),
    "numpy": ("**/tests",),
}
# What boto3 can still call.
AWS = {
    *("application-autoscaling", "cloudwatch", "dynamodb", "lambda", "s3", "sagemaker"),
    *("sagemaker-runtime", "sns", "sqs", "sso", "sso-oidc", "sts"),
}


def main(environment: Path) -> None:
    """Remove what there is of it.

    Raises:
        FileNotFoundError: A package is there, but not what it is known to bring too much.
    """
    [packages] = environment.glob("lib/python3*/site-packages")
    for package, patterns in UNUSED.items():
        for pattern in patterns if (packages / package).is_dir() else ():
            found = list((packages / package).glob(pattern))
            if not found:
                raise FileNotFoundError(f"{package} has no {pattern}")
            for path in found:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    for service in (packages / "botocore" / "data").glob("*/"):
        if service.is_dir() and service.name not in AWS:
            shutil.rmtree(service)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
