"""Shots into other programs: glTF, USD, BVH and camera tables, Blender."""
