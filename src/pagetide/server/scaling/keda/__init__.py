"""KEDA: scaled objects and jobs, its external scaler's protocol."""
