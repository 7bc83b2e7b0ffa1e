"""Networks on OpenVINO and ONNX Runtime: opened, cached, run."""
