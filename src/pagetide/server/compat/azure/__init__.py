"""Azure Document Intelligence v4 (api-version 2024-11-30), as its own clients speak it."""

from __future__ import annotations

from fastapi import APIRouter

from pagetide.server.compat.azure import about, routes
from pagetide.server.compat.azure.batches import routes as batch_routes

router = APIRouter()
router.include_router(routes.router)
router.include_router(batch_routes.router)
router.include_router(about.router)  # last: it refuses whatever is left
