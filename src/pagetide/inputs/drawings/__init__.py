"""What a PDF page draws besides text, in the child: rules, fills, boxes, charts."""
