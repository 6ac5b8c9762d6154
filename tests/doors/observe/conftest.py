"""Disks that can be filled."""

from tests.faults.conftest import small_disk as small_disk
