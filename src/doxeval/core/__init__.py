"""What every room stands on: errors, notices, the grammar of measures, parameters, tables of text."""
