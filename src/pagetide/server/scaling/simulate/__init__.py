"""What a scaling policy would cost, and how long its users would wait, before it is deployed.

`traces` says what comes, `machine` what a worker is, `replay` lets a policy's own control loop
decide over them, `measures` says what came of it.
"""
