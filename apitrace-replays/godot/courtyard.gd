# SPDX-License-Identifier: MIT
# A courtyard with columns, spheres and lights: shadow maps of a sun and of lamps, ambient occlusion, glow and
# tone mapping, all drawn off screen in several passes. Everything is made here, at a fixed step of 1/60 s.
extends Spatial

var frame = 0
var camera = Camera.new()
var lamps = []


func _ready():
	seed(1)
	add_environment()
	add_sun()
	var stone = material(texture(512, 3), 0.9, 0.0)
	var metal = material(texture(256, 5), 0.3, 0.8)
	var ground = PlaneMesh.new()
	ground.size = Vector2(60, 60)
	ground.subdivide_width = 31
	ground.subdivide_depth = 31
	stone.uv1_scale = Vector3(12, 12, 1)
	add_mesh(ground, stone, Vector3(0, 0, 0))
	for i in range(24):
		var angle = TAU * i / 24
		var column = CylinderMesh.new()
		column.top_radius = 0.5
		column.bottom_radius = 0.6
		column.height = 6
		add_mesh(column, material(texture(256, i), 0.8, 0.0), Vector3(cos(angle) * 12, 3, sin(angle) * 12))
	for i in range(60):
		var ball = SphereMesh.new()
		ball.radius = rand_range(0.3, 0.9)
		ball.height = 2 * ball.radius
		var at = Vector3(rand_range(-10, 10), ball.radius, rand_range(-10, 10))
		add_mesh(ball, metal if i % 2 else material(texture(128, 100 + i), 0.5, 0.1), at)
	for i in range(4):
		var lamp = OmniLight.new()
		lamp.light_color = Color.from_hsv(i / 4.0, 0.6, 1.0)
		lamp.light_energy = 3.0
		lamp.omni_range = 12.0
		lamp.shadow_enabled = true
		add_child(lamp)
		lamps.append(lamp)
	camera.fov = 65
	add_child(camera)
	camera.current = true


func _process(_delta):
	var time = frame / 60.0
	camera.look_at_from_position(Vector3(cos(time * 0.5) * 17, 5, sin(time * 0.5) * 17), Vector3(0, 2, 0), Vector3.UP)
	for i in range(lamps.size()):
		var angle = time + TAU * i / lamps.size()
		lamps[i].translation = Vector3(cos(angle) * 6, 3, sin(angle) * 6)
	frame += 1


func add_environment():
	var environment = Environment.new()
	environment.background_mode = Environment.BG_SKY
	environment.background_sky = ProceduralSky.new()
	environment.ambient_light_energy = 0.4
	environment.tonemap_mode = Environment.TONE_MAPPER_ACES
	environment.ssao_enabled = true
	environment.glow_enabled = true
	environment.glow_hdr_threshold = 0.9
	environment.dof_blur_far_enabled = true
	environment.dof_blur_far_distance = 25
	var world = WorldEnvironment.new()
	world.environment = environment
	add_child(world)


func add_sun():
	var sun = DirectionalLight.new()
	sun.rotation_degrees = Vector3(-50, 40, 0)
	sun.shadow_enabled = true
	sun.directional_shadow_mode = DirectionalLight.SHADOW_PARALLEL_4_SPLITS
	add_child(sun)


func add_mesh(mesh, its_material, at):
	var instance = MeshInstance.new()
	instance.mesh = mesh
	instance.material_override = its_material
	instance.translation = at
	add_child(instance)


func material(image, roughness, metallic):
	var result = SpatialMaterial.new()
	result.albedo_texture = image
	result.roughness = roughness
	result.metallic = metallic
	return result


# Stones: cells of noise with dark joints.
func texture(size, number):
	var noise = OpenSimplexNoise.new()
	noise.seed = number
	noise.period = size / 6.0
	var image = Image.new()
	image.create(size, size, true, Image.FORMAT_RGB8)
	image.lock()
	for y in range(size):
		for x in range(size):
			var shade = 0.5 + 0.4 * noise.get_noise_2d(x, y)
			if x * 8 % size < 8 or y * 8 % size < 8:
				shade *= 0.5
			image.set_pixel(x, y, Color.from_hsv(number * 0.13, 0.35, shade))
	image.unlock()
	image.generate_mipmaps()
	var result = ImageTexture.new()
	result.create_from_image(image)
	return result
