@tool
extends EditorPlugin
## Turns Palaver on in the editor: the autoload, the project settings, and what an export needs.

const ExportPlugin := preload("export_plugin.gd")
const Settings := preload("settings.gd")

const AUTOLOAD := "Palaver"

var _export_plugin: ExportPlugin


func _enable_plugin() -> void:
	var script: Script = get_script()
	add_autoload_singleton(AUTOLOAD, script.resource_path.get_base_dir().path_join("palaver.gd"))


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)


func _enter_tree() -> void:
	Settings.define()
	_export_plugin = ExportPlugin.new()
	add_export_plugin(_export_plugin)


func _exit_tree() -> void:
	remove_export_plugin(_export_plugin)
	_export_plugin = null
