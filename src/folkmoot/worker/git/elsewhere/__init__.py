"""What a project keeps elsewhere than in its own repository: submodules, Git LFS, objects of a partial clone."""
