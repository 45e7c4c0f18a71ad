# SPDX-License-Identifier: MIT
# Writes the window of a Godot project to $SCREENSHOT in frame 20, and ends it.
extends Node

var frame = 0


func _process(_delta):
	frame += 1
	if frame == 20:
		var image = get_viewport().get_texture().get_data()
		image.flip_y()
		image.save_png(OS.get_environment("SCREENSHOT"))
		get_tree().quit()
