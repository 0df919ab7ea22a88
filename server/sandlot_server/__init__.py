"""The Sandlot tournament server."""
