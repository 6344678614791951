"""Names under which MMTrustEval's users know a few things."""
